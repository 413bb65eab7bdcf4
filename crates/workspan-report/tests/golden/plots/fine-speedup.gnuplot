set terminal svg size 800,500 enhanced background rgb 'white'
set output 'fine-speedup.gnuplot.svg'
set title 'snippets B' noenhanced
set xlabel 'threads'
set ylabel 'speedup'
set xrange [0.98:2.02]
set yrange [0:2]
set xtics (1, 2)
set ytics 0.5
set grid linecolor rgb '#dddddd'
set key top left
set style line 1 linecolor rgb '#8a8a8a' linewidth 2 dashtype (2,4) pointtype 7 pointsize 0.6
set style line 2 linecolor rgb '#0072b2' linewidth 2 dashtype solid pointtype 7 pointsize 0.6
data = 'fine-speedup.dat'
plot data index 1 using 1:2:3:4 with yerrorbars linestyle 2 dashtype solid linewidth 1 pointtype 0 notitle, \
     data index 0 using 1:2 with lines linestyle 1 title 'linear', \
     data index 1 using 1:2 with linespoints linestyle 2 title 'measured'
