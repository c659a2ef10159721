if (GPVAL_TERM eq "unknown") set terminal pngcairo size 1000,600 font "Sans,11"
set encoding utf8
set border 3 linecolor rgb "#808080"
set tics nomirror scale 0.5 textcolor rgb "#303030"
set key below horizontal Left reverse
set rmargin 4
set xlabel "memory size"."\n "
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb "#d8d8d8"
set title "Memory access latency"."\n"."random, pages 4 KiB, Example CPU" noenhanced font ",13"
set logscale x 2
set xrange [477.713:1.12384e+06]
set xtics ("512 B" 512 0, "1 KiB" 1024 0, "2 KiB" 2048 0, "4 KiB" 4096 0, "8 KiB" 8192 0, "16 KiB" 16384 0, "32 KiB" 32768 0, "64 KiB" 65536 0, "128 KiB" 131072 0, "256 KiB" 262144 0, "512 KiB" 524288 0, "1 MiB" 1048576 0)
set logscale y
set yrange [4.57273:450.296]
set ytics (5, 10, 20, 50, 100, 200)
set ylabel "latency (core cycles)"
$curve1 << END
512 5.23
1024 5.09
2048 5.03
3072 5.22
4096 5.04
6144 5.05
8192 5.22
12288 12.26
16384 5.3
24576 5.61
32768 5.42
49152 7.07
65536 16.75
98304 35.38
131072 47.73
196608 155.41
262144 206.55
393216 396.06
524288 409.36
786432 365.39
1048576 20.49
END
$curve2 << END
512 5.25
1024 5.13
2048 5.21
3072 5.49
4096 5.61
6144 5.49
8192 5.41
12288 5.65
16384 5.84
24576 6.94
32768 12.66
49152 42.33
65536 16.35
98304 16.35
131072 16.71
196608 16.21
262144 17.12
393216 16.21
524288 42.56
786432 60.21
1048576 370.52
END
plot $curve1 using 1:2 with linespoints title "threads, thread 0" noenhanced dashtype 1 linecolor rgb "#0072b2" pointtype 7 linewidth 1.8 pointsize 0.5, \
     $curve2 using 1:2 with linespoints title "threads, thread 1" noenhanced dashtype 1 linecolor rgb "#d55e00" pointtype 7 linewidth 1.8 pointsize 0.5
