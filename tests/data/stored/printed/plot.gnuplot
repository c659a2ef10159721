if (GPVAL_TERM eq "unknown") set terminal pngcairo size 1000,600 font "Sans,11"
set encoding utf8
set border 3 linecolor rgb "#808080"
set tics nomirror scale 0.5 textcolor rgb "#303030"
set key below horizontal Left reverse
set rmargin 4
set xlabel "memory size"."\n "
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb "#d8d8d8"
set title "Memory access latency"."\n"."random, Example CPU" noenhanced font ",13"
set logscale x 2
set xrange [477.713:8.99069e+06]
set xtics ("" 512 1, "1 KiB" 1024 0, "" 2048 1, "4 KiB" 4096 0, "" 8192 1, "16 KiB" 16384 0, "" 32768 1, "64 KiB" 65536 0, "" 131072 1, "256 KiB" 262144 0, "" 524288 1, "1 MiB" 1048576 0, "" 2097152 1, "4 MiB" 4194304 0, "" 8388608 1)
set logscale y
set yrange [1.51636:290.634]
set ytics (2, 5, 10, 20, 50, 100)
set ylabel "latency (ns)"
set arrow from first 57934.2, graph 0 to first 57934.2, graph 0.97 nohead dashtype 2 linewidth 1.4 linecolor rgb "#707070"
set label "L1"."\n"."56.6 KiB"."\n"."1.68 ns" at first 57934.2, graph 1 right offset -0.7, -1 noenhanced font ",10" textcolor rgb "#404040"
set arrow from first 2.78544e+06, graph 0 to first 2.78544e+06, graph 0.97 nohead dashtype 2 linewidth 1.4 linecolor rgb "#707070"
set label "L2"."\n"."2.66 MiB"."\n"."5.98 ns" at first 2.78544e+06, graph 1 right offset -0.7, -1 noenhanced font ",10" textcolor rgb "#404040"
$curve1 << END
512 1.683
1024 1.681
2048 1.669
3072 1.679
4096 1.672
6144 1.683
8192 1.668
12288 1.67
16384 1.681
24576 1.691
32768 1.683
49152 2.138
65536 5.317
98304 5.366
131072 5.348
196608 5.345
262144 5.359
393216 5.385
524288 5.991
786432 6.545
1048576 7.817
1572864 9.105
2097152 16.698
3145728 58.64
4194304 88.236
6291456 74.227
8388608 70.199
END
$curve2 << END
512 1.682
1024 1.682
2048 1.772
3072 1.681
4096 1.682
6144 1.68
8192 1.678
12288 1.818
16384 1.681
24576 1.692
32768 1.734
49152 2.278
65536 5.338
98304 5.33
131072 15.485
196608 5.354
262144 5.358
393216 5.43
524288 5.997
786432 6.549
1048576 6.812
1572864 8.679
2097152 16.485
3145728 105.603
4194304 120.108
6291456 86.507
8388608 91.193
END
plot $curve1 using 1:2 with linespoints title "sweep, pages 4 KiB" noenhanced dashtype 1 linecolor rgb "#0072b2" pointtype 7 linewidth 1.8 pointsize 0.5, \
     $curve2 using 1:2 with linespoints title "huge, pages 2 MiB transparent" noenhanced dashtype 1 linecolor rgb "#d55e00" pointtype 7 linewidth 1.8 pointsize 0.5
