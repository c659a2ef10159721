if (GPVAL_TERM eq "unknown") set terminal pngcairo size 760,680 font "Sans,11"
set encoding utf8
set border 0
set tics scale 0 textcolor rgb "#303030"
set title "Latency from node to memory"."\n"."Example CPU" noenhanced font ",13"
set xlabel "Memory of node"
set ylabel "Processors of node"
set cblabel "latency (ns)" offset 1
set palette defined (0 "#ffffd9", 1 "#c7e9b4", 2 "#7fcdbb", 3 "#41b6c4", 4 "#1d91c0", 5 "#225ea8", 6 "#0c2c84")
set xtics ("0" 0)
set ytics ("0" 0)
set cbrange [0:62.104]
set xrange [-0.5:0.5]
set yrange [0.5:-0.5]
set size ratio -1
$cells << END
0 0 62.104
END
plot $cells using 1:2:(0.48):(0.48):3 with boxxyerror fillstyle solid 1 noborder palette notitle, \
     $cells using 1:2:(sprintf("%.0f", $3)):($3 > 31.052 ? 0xffffff : 0x202020) with labels textcolor rgb variable notitle
