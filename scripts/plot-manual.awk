# Makes the man page memtest-plot(1) out of what `plot --help` prints. Takes -v version=VERSION.
BEGIN {
  printf ".TH MEMTEST\\-PLOT 1 \"\" \"memtest %s\" \"User Commands\"\n", version
  print ".SH NAME\nmemtest\\-plot \\- draws sweeps written by memtest\n.SH SYNOPSIS"
}

{
  gsub(/\\/, "\\e")
  gsub(/-/, "\\-")
}

sub(/^usage: plot /, "") {
  print ".B memtest\\-plot\n" $0
  next
}

sub(/^ +plot /, "") {
  print ".br\n.B memtest\\-plot\n" $0
  next
}

sub(/^example: /, "") {
  sub(/ plot /, " memtest\\-plot ")
  print ".SH EXAMPLE\n.nf\n" $0 "\n.fi"
  next
}

/^ +\\-/ { # names, two blanks or more, help
  if (!options++) print ".SH OPTIONS"
  sub(/^ +/, "")
  match($0, /   */)
  names = substr($0, 1, RSTART - 1)
  sub(/ [A-Za-z]+$/, "\\fR\\fI&", names) # what the value is called
  print ".TP\n\\fB" names "\\fR\n" substr($0, RSTART + RLENGTH)
  next
}

/./ {
  if (!described++) print ".SH DESCRIPTION"
  sub(/^ +/, "")
  print (/^[.']/ ? "\\&" : "") $0
}
