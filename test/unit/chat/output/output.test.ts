import { expect, test } from "vitest";
import { Output } from "../../../../src/chat/output/output.ts";
import type { Told } from "../../../../src/chat/output/told.ts";
import type { RunEvent } from "../../../../src/core/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run-state.ts";
import type { ShownLine } from "../../../../src/text/styled-line.ts";

const textOf = ({ parts }: ShownLine) => parts.map(({ text }) => text).join("");

/** A conversation as wide as that, told events that also change its run. */
function conversation({ columns = 40 } = {}) {
	let run = EMPTY_RUN;
	const output = new Output({ columns: () => columns });
	const lines: ShownLine[] = [];
	const tell = (told: Told) => {
		if (told.is === "event") run = reduce(run, told.event);
		lines.push(...output.tell(told, run));
	};
	const event = (event: RunEvent, answer?: string) => tell({ is: "event", event, answer });
	const delta = (text: string, turn = 1) => tell({ is: "delta", turn, delta: { kind: "text", text, block: 0 } });
	return {
		...{ tell, event, delta, output, lines },
		texts: () => lines.map(textOf),
		live: (room = 10) => output.live(run, 10_000, room).map(textOf),
	};
}

test("a line of an answer is appended when it is whole, and the begun one is live", () => {
	const { delta, live, texts } = conversation();
	delta("First **li");
	expect([texts(), live()]).toEqual([[], ["First li"]]);
	delta("ne**\nSecond");
	expect([texts(), live()]).toEqual([["First line"], ["Second"]]);
});
