/** The rooms of src/ as a picture: whoever stands higher imports from what stands lower, never the other way. */
import { type Edge, rowsOf, withoutShortcuts } from "./import-graph.ts";

const BOX = { width: 158, height: 26, gapX: 14, gapY: 34 };
const MARGIN = 16;

interface Point {
	readonly x: number;
	readonly y: number;
}

export function drawImports(edges: readonly Edge[]): string {
	const rows = rowsOf(edges).toReversed();
	const widest = Math.max(...rows.map((row) => row.length));
	const width = 2 * MARGIN + widest * (BOX.width + BOX.gapX) - BOX.gapX;
	const height = 2 * MARGIN + rows.length * (BOX.height + BOX.gapY) - BOX.gapY;
	const places = new Map(
		rows.flatMap((row, y) =>
			row.map((room, x) => {
				const rowWidth = row.length * (BOX.width + BOX.gapX) - BOX.gapX;
				const left = (width - rowWidth) / 2 + x * (BOX.width + BOX.gapX);
				return [room, { x: left, y: MARGIN + y * (BOX.height + BOX.gapY) }] as const;
			}),
		),
	);
	const at = (room: string): Point => places.get(room) ?? { x: 0, y: 0 };
	const arrows = withoutShortcuts(edges).map(({ from, to }) => drawArrow(at(from), at(to)));
	const boxes = [...places].map(([room, place]) => drawBox(room, place));
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, monospace" font-size="11">
<title>Imports between the rooms of src/: each arrow points down</title>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
${[...arrows, ...boxes].join("\n")}
</svg>
`;
}

function drawBox(room: string, { x, y }: Point): string {
	const isBase = room.endsWith(" base");
	return `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="4" fill="${isBase ? "#eef2f7" : "#dbe7f5"}" stroke="#7d93ad"/><text x="${x + BOX.width / 2}" y="${y + 17}" text-anchor="middle" fill="#1b2733">${room}</text>`;
}

function drawArrow(from: Point, to: Point): string {
	const [x1, y1] = [from.x + BOX.width / 2, from.y + BOX.height];
	const [x2, y2] = [to.x + BOX.width / 2, to.y];
	const bend = Math.min(40, (y2 - y1) / 2);
	return `<path d="M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}" fill="none" stroke="#b4bfcc"/>`;
}
