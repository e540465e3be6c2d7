#!/usr/bin/env python3
"""Draws the output of a terminal, with its colours, as an SVG: terminal.py 'COMMAND' <output >picture.svg"""

import re
import sys
from xml.sax.saxutils import escape

WIDTH, LINE, MARGIN = 880, 21, 20
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}
STYLE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:14px"


def main():
    lines = [f"$ {sys.argv[1]}"] + sys.stdin.read().rstrip("\n").split("\n")
    height = len(lines) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">')
    print(f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#161b22"/>')
    print(f'<g fill="#e6edf3" style="{STYLE}" xml:space="preserve">')
    for number, line in enumerate(lines):
        print(f'<text x="{MARGIN}" y="{MARGIN + number * LINE + 15}">{spans(line)}</text>')
    print("</g>\n</svg>")


def spans(line):
    """The parts of a line between escape sequences, each in its colour."""
    parts = re.split(r"\x1b\[([0-9;]*)m", line)
    out, colour = escape(parts[0]), None
    for code, text in zip(parts[1::2], parts[2::2]):
        colour = COLOURS.get(code) if code != "0" else None
        out += f'<tspan fill="{colour}">{escape(text)}</tspan>' if colour and text else escape(text)
    return out


main()
