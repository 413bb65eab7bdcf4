set terminal svg size 800,500 enhanced background rgb 'white'
set output 'fine-factored.gnuplot.svg'
set title 'snippets B' noenhanced
set xlabel 'threads'
set ylabel 'speedup over the baseline'
set xrange [0.98:2.02]
set yrange [0:8]
set xtics (1, 2)
set ytics 1
set grid linecolor rgb '#dddddd'
set key top left
set style line 1 linecolor rgb '#8a8a8a' linewidth 2 dashtype (2,4) pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#e69f00' linewidth 2 dashtype (12,4) pointtype 7 pointsize 0.6
set style line 3 linecolor rgb '#009e73' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
set style line 4 linecolor rgb '#cc79a7' linewidth 2 dashtype (8,4) pointtype 7 pointsize 0.6
set style line 5 linecolor rgb '#d55e00' linewidth 2 dashtype (3,3) pointtype 7 pointsize 0.6
set style line 6 linecolor rgb '#0072b2' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
data = 'fine-factored.dat'
plot data index 1 using 1:2:3:4 with yerrorbars linestyle 2 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 3 using 1:2:3:4 with yerrorbars linestyle 4 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 4 using 1:2:3:4 with yerrorbars linestyle 5 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 5 using 1:2:3:4 with yerrorbars linestyle 6 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 0 using 1:2 with lines linestyle 1 title 'linear', \
     data index 1 using 1:2 with linespoints linestyle 2 title 'elision', \
     data index 2 using 1:2 with linespoints linestyle 3 title 'maximal', \
     data index 3 using 1:2 with linespoints linestyle 4 title 'idle-time-specific', \
     data index 4 using 1:2 with linespoints linestyle 5 title 'inflation-specific', \
     data index 5 using 1:2 with linespoints linestyle 6 title 'actual'
