/**
 * A captured terminal screen as an SVG. Text stays text. Each piece of a line says where it begins and how long it is,
 * so that the columns hold with whatever monospace font the reader has.
 */

const CELL = { width: 8.4, height: 18 };
const FONT_SIZE = 14;
const BASELINE = 13.5; // from the top of a cell
const PADDING = 14;
const BAR_HEIGHT = 34;

/** A dark screen in a grey frame: it stands out on a white page and on a dark one. */
const COLORS = {
	text: "#d6dae2",
	screen: "#16191f",
	bar: "#262a33",
	frame: "#7d8590",
};
/** The terminal's eight, by their numbers. */
const PALETTE = ["#3b4048", "#f2777a", "#93d07f", "#e8c074", "#74a8f7", "#cf97ee", "#66c6dd", "#d6dae2"];
/** The dashboard's colors do for light screens, too; on this dark one, as small as pictures are shown, the terminal's are faint. */
const CHOSEN = {
	...{ 28: PALETTE[2], 31: PALETTE[6], 130: PALETTE[3], 133: PALETTE[5], 196: PALETTE[1] },
	243: "#959ca8",
};

/**
 * `screen` is what `tmux capture-pane -e -p` prints: lines of text with colors (SGR) and nothing else. One character is
 * one column.
 */
export function svgOf(screen, { columns, rows, title }) {
	const width = Math.round(columns * CELL.width + 2 * PADDING);
	const height = BAR_HEIGHT + rows * CELL.height + 2 * PADDING;
	const pieces = linesOf(screen)
		.slice(0, rows)
		.flatMap((line, row) => line.map((piece) => placed(piece, row)));
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
		`<title>${escaped(title)}</title>`,
		`<style>text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:${COLORS.text}}path{fill:none}.b{font-weight:bold}</style>`,
		`<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${COLORS.screen}" stroke="${COLORS.frame}"/>`,
		`<path d="M1 ${BAR_HEIGHT}V9.5a8.5 8.5 0 0 1 8.5-8.5H${width - 9.5}a8.5 8.5 0 0 1 8.5 8.5V${BAR_HEIGHT}z" style="fill:${COLORS.bar}"/>`,
		...[20, 40, 60].map((x) => `<circle cx="${x}" cy="${BAR_HEIGHT / 2}" r="6" fill="${COLORS.frame}"/>`),
		`<text x="${width / 2}" y="${BAR_HEIGHT / 2 + 5}" text-anchor="middle">${escaped(title)}</text>`,
		...pieces.map(drawn),
		"</svg>",
	].join("\n")}\n`;
}

/** Pieces of each line: text of one style, with the column where it begins. Blanks that nothing colors are left out. */
function linesOf(screen) {
	let style = {};
	return screen.split("\n").map((line) => {
		const pieces = [];
		let column = 0;
		for (const [, codes, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
			if (text === undefined) {
				style = styleAfter(style, codes);
				continue;
			}
			for (const part of partsOf(text, style)) pieces.push({ ...part, style, column: column + part.column });
			column += [...text].length;
		}
		return pieces;
	});
}

/** Symbols stand alone: a font that lacks one takes it from another font, which has a width of its own. */
function partsOf(text, { isInverse }) {
	const parts = [...text.matchAll(/[!-~]+(?: [!-~]+)*|([^\s!-~])\1*/gu)];
	const pieces = parts.map((part) => ({ text: part[0], column: [...text.slice(0, part.index)].length }));
	return isInverse ? [{ text, column: 0, isBar: true }, ...pieces] : pieces;
}

function styleAfter(style, codes) {
	const left = codes === "" ? [0] : codes.split(";").map(Number);
	let next = style;
	while (left.length > 0) {
		const code = left.shift();
		if (code === 0) next = {};
		else if (code === 1) next = { ...next, isBold: true };
		else if (code === 7) next = { ...next, isInverse: true };
		else if (code === 27) next = { ...next, isInverse: false };
		else if (code >= 30 && code <= 37) next = { ...next, color: PALETTE[code - 30] };
		else if (code === 38) next = { ...next, color: colorOf(left.splice(0, 2)[1]) };
		else if (code === 39) next = { ...next, color: undefined };
		else if (code !== 22 && code !== 49) throw new Error(`a style that is not known: ${codes}`);
		else if (code === 22) next = { ...next, isBold: false };
	}
	return next;
}

/** Of the 256: the eight, and those that the dashboard has. */
function colorOf(number) {
	const color = PALETTE[number] ?? CHOSEN[number];
	if (color === undefined) throw new Error(`a color that is not known: ${number}`);
	return color;
}

function placed(piece, row) {
	const x = rounded(PADDING + piece.column * CELL.width);
	const y = BAR_HEIGHT + PADDING + row * CELL.height;
	return { ...piece, x, y, length: rounded([...piece.text].length * CELL.width) };
}

function drawn({ text, style, isBar, x, y, length }) {
	const color = style.color ?? COLORS.text;
	if (isBar) return `<rect x="${x}" y="${y}" width="${length}" height="${CELL.height}" fill="${color}"/>`;
	const ink = style.isInverse ? COLORS.screen : color;
	if (text[0] in ARMS) {
		const width = HEAVY.has(text[0]) ? ' stroke-width="2.5"' : "";
		return `<path d="${linesThrough(text, x, y)}" stroke="${ink}"${width}/>`;
	}
	const attributes = [
		...[`x="${x}"`, `y="${y + BASELINE}"`, `textLength="${length}"`, 'lengthAdjust="spacingAndGlyphs"'],
		...(style.isBold ? ['class="b"'] : []),
		...(ink === COLORS.text ? [] : [`style="fill:${ink}"`]),
	];
	return `<text ${attributes.join(" ")}>${escaped(text)}</text>`;
}

/** The characters that boxes are drawn with, by the ways in which they leave their cell. */
const ARMS = {
	...{ "│": "ud", "─": "lr", "├": "udr", "└": "ur", "┌": "dr", "┐": "dl", "┘": "ul" },
	...{ "┃": "ud", "━": "lr", "┗": "ur", "┏": "dr", "┓": "dl", "┛": "ul" },
};
const HEAVY = new Set("┃━┗┏┓┛");

/** As lines, since those of a font leave gaps between rows. A piece has one kind of character. */
function linesThrough(text, x, y) {
	const { width, height } = CELL;
	const ends = { u: `V${y}`, d: `V${y + height}`, l: `H${x}`, r: `H${rounded(x + width)}` };
	if (ARMS[text[0]] === "lr") return `M${x} ${y + height / 2}H${rounded(x + text.length * width)}`;
	const center = `M${rounded(x + width / 2)} ${y + height / 2}`;
	return [...ARMS[text[0]]].map((arm) => center + ends[arm]).join("");
}

function rounded(number) {
	return Math.round(number * 10) / 10;
}

function escaped(text) {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
