set terminal svg size 800,500 enhanced background rgb 'white'
set output 'quicksort-measured.gnuplot.svg'
set title 'quicksort 10000000' noenhanced
set xlabel 'cores'
set ylabel 'speedup'
set logscale xy 2
set xrange [0.892190459573373:336.25107372640343]
set yrange [1:16]
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256)
set ytics (1, 2, 4, 8, 16)
set grid linecolor rgb '#dddddd'
set key top left
set style line 1 linecolor rgb '#009e73' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#d55e00' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
set style line 3 linecolor rgb '#cc79a7' linewidth 2 dashtype (8,4) pointtype 7 pointsize 0.6
set style line 4 linecolor rgb '#0072b2' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
data = 'quicksort-measured.dat'
plot data index 2 using 1:2:3:4 with yerrorbars linestyle 3 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 3 using 1:2:3:4 with yerrorbars linestyle 4 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 0 using 1:2 with lines linestyle 1 title 'upper bound', \
     data index 1 using 1:2 with lines linestyle 2 title 'lower bound', \
     data index 2 using 1:2 with lines linestyle 3 title 'predicted', \
     data index 3 using 1:2 with linespoints linestyle 4 title 'measured'
