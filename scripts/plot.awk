# Makes the gnuplot program of scripts/plot out of the records that its read_sweep writes.
# Given with -v: terminal, width, height, quantity (latency, cycles, throughput), levels, ratio, linear;
# in the environment, since -v would read backslashes in it: TITLE.

#
# Some builds of busybox have an awk without log, sqrt and ^: what needs them is left to gnuplot.

BEGIN { FS = "\t" }

# --- reading ---
$1 == "sweep" { name[++sweeps] = $2 }
$1 == "about" && $2 !~ /^level / { about[sweeps, $2] = $3 }
$1 == "about" && $2 ~ /^level / && sweeps == 1 { read_level(substr($2, 7), $3) }
$1 == "row" {
  if (!((sweeps, $2) in curve_of)) {
    curve_of[sweeps, $2] = ++curves
    sweep[curves] = sweeps
    thread[curves] = $2
    threads[sweeps]++
  }
  c = curve_of[sweeps, $2]
  mib[c, ++points[c]] = $3
  value[c, points[c]] = value_at[c, $3] = $4
}
# Such as: capacity 32 to 48 KiB, latency 1.08 ns, 4.0 cycles, from 0.1 to 0.5 MiB
function read_level(key, text,   n, i, part, word) {
  if (key in level_seen) return # this is of another thread
  level_seen[key] = 1
  level_name[++found] = key
  n = split(text, part, /, */)
  for (i = 1; i <= n; i++) {
    split(part[i], word, / +/)
    if (word[1] == "capacity") level_capacity[found] = capacity_text(word[2], word[3] == "to" ? word[4] : word[2])
    if (word[1] == "latency") level_value[found, "latency"] = word[2]
    if (word[2] == "cycles") level_value[found, "cycles"] = word[1]
    if (word[1] == "from") { level_from[found] = word[2] * 1048576; level_to[found] = word[4] * 1048576 }
  }
  if (level_value[found, "latency"] > 0) level_value[found, "throughput"] = 1000 / level_value[found, "latency"]
}

# --- text ---
function quote(text) { gsub(/'/, "''", text); return "'" text "'" }
function join(left, right) { return left == "" || right == "" ? left right : left ", " right }
function size_text(bytes,   unit) { # 4096: 4 KiB
  for (unit = 1; bytes >= 1023.5 && unit < 5; unit++) bytes /= 1024
  return sprintf("%.4g", bytes) " " substr("B  KiBMiBGiBTiB", 3 * unit - 2, unit == 1 ? 1 : 3)
}
function capacity_text(low_kib, high_kib,   low, high) { # 24 to 32 MiB
  low = size_text(low_kib * 1024)
  high = size_text(high_kib * 1024)
  if (low == high) return low
  if (substr(low, index(low, " ")) == substr(high, index(high, " "))) sub(/ .*/, "", low)
  return low " to " high
}

# --- legend ---
function told(s, key) { # what a sweep says of itself
  if (key == "pages" && (s, "pages got") in about) key = "pages got"
  return (s, key) in about ? about[s, key] : ""
}
function describe(key, text) {
  if (text == "") return ""
  if (key == "line" || key == "stride") return key " " text " B"
  if (key == "tlb locality") return "TLB locality " size_text(text)
  if (key == "threads") return text (text == 1 ? " thread" : " threads")
  if (key == "parallel") return text (text == 1 ? " chain" : " parallel chains")
  if (key == "pages") return "pages " text
  gsub(/\((R|TM|r|tm)\)/, "", text)
  return text
}
# Sets legend[s], what tells sweep s from the others, and common, what all say and is worth a line.
function name_sweeps(   n, key, k, usual, s, plain, varies, text, uses, short) {
  n = split("order,link,line,stride,threads,parallel,pages,tlb locality,estimate,cpu", key, ",")
  usual["line"] = 64; usual["threads"] = usual["parallel"] = 1; usual["pages"] = "default"; usual["estimate"] = "min"
  for (s = 1; s <= sweeps; s++) {
    text = ""
    for (k = 1; k <= n; k++) text = text told(s, key[k])
    if (text == "") plain = 1
    legend[s] = ""
    uses[short[s] = base_name(name[s])]++
  }
  for (s = 1; s <= sweeps; s++) if (uses[short[s]] > 1) short[s] = name[s]
  for (k = 1; k <= n; k++) {
    varies = 0
    for (s = 2; s <= sweeps; s++) if (told(s, key[k]) != told(1, key[k])) varies = 1
    for (s = 1; s <= sweeps; s++) {
      if (told(s, key[k]) == usual[key[k]] && (!varies || plain)) continue
      text = describe(key[k], told(s, key[k]))
      if (varies) legend[s] = join(legend[s], text)
      else if (s == 1) common = join(common, text)
    }
  }
  if (sweeps == 1) {
    if (common == "") common = short[1]
    if (curves == 1) { legend[1] = common; common = "" }
    return
  }
  split("", uses)
  for (s = 1; s <= sweeps; s++) uses[legend[s]]++
  for (s = 1; s <= sweeps; s++) {
    if (legend[s] == "") legend[s] = short[s]
    else if (uses[legend[s]] > 1) legend[s] = legend[s] " (" short[s] ")"
  }
}
function base_name(path) { sub(/^.*\//, "", path); return path }
function curve_name(c,   text, limit) {
  text = legend[sweep[c]]
  if (threads[sweep[c]] > 1) text = join(text, "thread " thread[c])
  limit = terminal == "dumb" ? width - 14 : width / 8
  if (length(text) > limit) {
    text = substr(text, 1, limit - 3)
    sub(/[\300-\377][\200-\277]*$/, "", text) # a character of several bytes that was cut
    text = text "..."
  }
  return terminal == "dumb" ? " " text : text
}

# --- numbers ---
function divide_by_first(   c, i, base) { # speed is the inverse of time: the time of the first over this one
  for (c = curves; c >= 1; c--) {
    base = (1, thread[c]) in curve_of ? curve_of[1, thread[c]] : 1
    for (i = 1; i <= points[c]; i++) {
      if (!((base, mib[c, i]) in value_at)) value[c, i] = "no pair"
      else if (value[c, i] == "" || value_at[base, mib[c, i]] == "") value[c, i] = ""
      else value[c, i] = value_at[base, mib[c, i]] / value[c, i]
    }
  }
}
function find_ranges(   c, i, v, m, known) {
  for (c = 1; c <= curves; c++) {
    known = 0
    for (i = 1; i <= points[c]; i++) {
      if ((v = value[c, i] + 0) == 0) continue
      m = mib[c, i] * 1048576
      if (!min_value || v < min_value) min_value = v
      if (v > max_value) max_value = v
      if (!min_size || m < min_size) min_size = m
      if (m > max_size) max_size = m
      known++
    }
    if (!known && ratio) {
      print "plot: " name[sweep[c]] ": shares no size with " name[1] | "cat >&2"
      exit 1
    }
  }
}
function decade(x,   d) { # the power of ten at or below x
  for (d = 1; d > x; ) d /= 10
  while (d * 10 <= x) d *= 10
  return d
}
function log_ticks(low, high,   n, m, d, i, step, v, ticks) { # gnuplot leaves out those beyond its range
  if (high / low < 2.5) { # so narrow that even steps read best
    step = decade(high - low)
    if (high - low < 2 * step) step /= 5
    else if (high - low < 5 * step) step /= 2
    for (v = int(low / step) * step; v < 2 * high; v += step) ticks = join(ticks, sprintf("%.6g", v))
    return ticks
  }
  n = split(high / low > 10 ? "1 2 5" : "1 1.5 2 3 4 5 6 8", m, " ")
  for (d = decade(low); d <= high * 10; d *= 10)
    for (i = 1; i <= n; i++) ticks = join(ticks, sprintf("%.6g", m[i] * d))
  return ticks
}

# --- the gnuplot program ---
function write_title(   text) {
  text = ENVIRON["TITLE"]
  if (text == "") text = title
  gsub(/[\001-\037]/, " ", text)
  print "set title " quote(text) (common == "" ? "" : ".\"\\n\"." quote(common)) " font \",13\""
}
function write_sizes(   first, last, doublings, step, size, e, ticks, edge) {
  for (first = 1; first * 2 <= min_size * 1.02; ) first *= 2 # sizes are rounded to 5 digits: 512 B reads 513.8
  for (last = first; last * 1.02 < max_size; doublings++) last *= 2
  if (!doublings) { first /= 2; last *= 2; doublings = 2 }
  for (step = 1; doublings / step * (terminal == "dumb" ? 9 : 70) > width * 0.88; ) step *= 2
  for (size = 1; size <= last; size *= 2) {
    if (size >= first) ticks = join(ticks, quote(e % step ? "" : size_text(size)) sprintf(" %.1f %d", size, e % step != 0))
    e++
  }
  edge = terminal == "dumb" ? 1.5 / width * doublings : 0.1 # else the axis hides the first point
  printf "set xrange [%.1f / 2 ** %g : %.1f * 2 ** %g]\nset xtics (%s)\n", first, edge, last, edge, ticks
}
function write_values(   low, high, below) {
  if (terminal == "dumb") print "set format y " quote("%g " unit) # it cannot write upwards
  else print "set ylabel " quote(heading)
  room = 0.03
  if (levels) room = terminal == "dumb" ? 4 / (height - 14) : 66 / (height - 216) # for their names
  if (room <= 0 || room > 1) room = 1
  low = min_value / 1.1
  high = max_value * 1.1
  below = terminal == "dumb" ? 1.5 / height : 0 # where the axis hides what is drawn on it
  if (linear) printf "set yrange [%.6g:%.6g]\n", -below * high, high * (1 + room)
  else {
    printf "set logscale y\nset yrange [%.6g * %.6g ** -%g : %.6g * %.6g ** %g]\n", low, high / low, below, high, high / low, room
    print "set ytics (" log_ticks(low, high) ")"
  }
}
function write_edge(size) {
  printf "set arrow from first %.6g, graph 0 to first %.6g, graph %g nohead linetype 0\n", size, size, 1 / (1 + room)
}
function write_levels(   l, from, to, v, text) {
  for (l = 1; l <= found; l++) {
    if (level_from[l] <= 0 || level_to[l] <= 0) continue
    from = level_from[l] / 1.1
    to = level_to[l] * 1.1
    if (terminal == "dumb") { # it has no areas
      write_edge(from)
      write_edge(to)
    }
    printf "set object rectangle from first %.6g, graph 0 to first %.6g, graph 1 behind", from, to
    print " fillcolor rgb " quote(l % 2 ? "#e4eef7" : "#f7eddc") " fillstyle solid noborder"
    v = ratio ? "" : level_value[l, quantity]
    text = quote(level_name[l])
    if (level_capacity[l] != "") text = text ".\"\\n\"." quote(level_capacity[l])
    if (v != "") text = text ".\"\\n\"." quote(sprintf(v < 100 ? "%.3g " : "%.0f ", v) unit)
    printf "set label %s at first sqrt(%.1f * %.1f), graph 1 center offset 0, -1", text, from, to
    print " font \",10\" textcolor rgb \"#404040\""
  }
}
function write_data(c,   i, gap, drawn) { # an unknown value becomes an empty line, which breaks the curve
  print "$curve" c " << END"
  for (i = 1; i <= points[c]; i++) {
    if (value[c, i] == "no pair") continue
    if (value[c, i] == "") { gap = drawn; continue }
    if (gap) print ""
    gap = 0
    drawn = 1
    printf "%.0f %.6g\n", mib[c, i] * 1048576, value[c, i]
  }
  print "END"
}
function write_curves(   c, n, colour, m, shape, round, text) {
  # Okabe and Ito (2008), colours that all eyes tell apart, without the yellow that white paper swallows
  n = split("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000", colour, " ")
  m = split("7 5 9 13 11", shape, " ")
  for (c = 1; c <= curves; c++) {
    write_data(c)
    text = text (c == 1 ? "plot " : ", \\\n  ") "$curve" c " using 1:2 with linespoints title " quote(curve_name(c))
    if (terminal == "dumb") continue
    round = int((c - 1) / n)
    text = text sprintf(" dashtype %d linecolor rgb \"%s\" pointtype %d", round % 4 + 1, colour[(c - 1) % n + 1], shape[round % m + 1])
    text = text (points[c] > 80 ? " linewidth 1.2 pointsize 0.1" : " linewidth 1.8 pointsize 0.5")
  }
  print text
}
END {
  title = "Memory access latency"; heading = "latency (ns)"; unit = "ns"
  if (quantity == "cycles") { heading = "latency (core cycles)"; unit = "cycles" }
  if (quantity == "throughput") { title = "Memory accesses per second"; heading = "million accesses per second"; unit = "M/s" }
  if (ratio) { title = "Speed relative to the first sweep"; heading = "times as fast"; unit = "x" }
  name_sweeps()
  if (ratio) divide_by_first()
  find_ranges()
  write_title()
  write_sizes()
  write_values()
  if (levels) write_levels()
  write_curves()
}