if (GPVAL_TERM eq "unknown") set terminal pngcairo size 1000,600 font "Sans,11"
set encoding utf8
set border 3 linecolor rgb "#808080"
set tics nomirror scale 0.5 textcolor rgb "#303030"
set key below horizontal Left reverse
set rmargin 4
set xlabel "memory size"."\n "
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb "#d8d8d8"
set title "Speed relative to threads"."\n"."random, pages 4 KiB, Example CPU" noenhanced font ",13"
set logscale x 2
set xrange [477.713:1.12384e+06]
set xtics ("512 B" 512 0, "1 KiB" 1024 0, "2 KiB" 2048 0, "4 KiB" 4096 0, "8 KiB" 8192 0, "16 KiB" 16384 0, "32 KiB" 32768 0, "64 KiB" 65536 0, "128 KiB" 131072 0, "256 KiB" 262144 0, "512 KiB" 524288 0, "1 MiB" 1048576 0)
set logscale y
set yrange [0.377115:27.025]
set ytics (0.5, 1, 2, 5, 10, 20)
set ylabel "times as fast"
$curve1 << END
512 1
1024 1
2048 1
3072 1
4096 1
6144 1
8192 1
12288 1
16384 1
24576 1
32768 1
49152 1
65536 1
98304 1
131072 1
196608 1
262144 1
393216 1
524288 1
786432 1
1048576 1
END
$curve2 << END
512 1
1024 1
2048 1
3072 1
4096 1
6144 1
8192 1
12288 1
16384 1
24576 1
32768 1
49152 1
65536 1
98304 1
131072 1
196608 1
262144 1
393216 1
524288 1
786432 1
1048576 1
END
$curve3 << END
512 1.01631
1024 0.990676
2048 1.00719
3072 1.0122
4096 0.961121
6144 1.00657
8192 1.03318
12288 2.43948
16384 0.46408
24576 1.1096
32768 1.06224
49152 0.961319
65536 1.05054
98304 2.21225
131072 2.88065
196608 6.34495
262144 12.8684
393216 24.5682
524288 22.8678
786432 3.7912
1048576 0.414826
END
plot $curve1 using 1:2 with linespoints title "threads, thread 0" noenhanced dashtype 1 linecolor rgb "#0072b2" pointtype 7 linewidth 1.8 pointsize 0.5, \
     $curve2 using 1:2 with linespoints title "threads, thread 1" noenhanced dashtype 1 linecolor rgb "#d55e00" pointtype 7 linewidth 1.8 pointsize 0.5, \
     $curve3 using 1:2 with linespoints title "sweep.json" noenhanced dashtype 1 linecolor rgb "#009e73" pointtype 7 linewidth 1.8 pointsize 0.5
