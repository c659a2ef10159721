if (GPVAL_TERM eq "unknown") set terminal pngcairo size 1000,600 font "Sans,11"
set encoding utf8
set border 3 linecolor rgb "#808080"
set tics nomirror scale 0.5 textcolor rgb "#303030"
set key below horizontal Left reverse
set rmargin 4
set xlabel "bandwidth of the loaders (GB/s)"."\n "
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb "#d8d8d8"
set title "Memory access latency under load"."\n"."Example CPU" noenhanced font ",13"
set xrange [-0.39505:39.9001]
set logscale y
set yrange [110.215:135.156]
set ytics (120, 130)
set ylabel "latency (ns)"
$curve1 << END
0 122.869
38.052 121.991
39.491 121.751
39.287 122.544
END
$curve2 << END
0 121.236
36.076 121.418
38.684 122.007
39.505 122.536
END
plot $curve1 using 1:2 with linespoints title "loaded" noenhanced dashtype 1 linecolor rgb "#0072b2" pointtype 7 linewidth 1.8 pointsize 0.5, \
     $curve2 using 1:2 with linespoints title "loaded.json" noenhanced dashtype 1 linecolor rgb "#d55e00" pointtype 7 linewidth 1.8 pointsize 0.5
