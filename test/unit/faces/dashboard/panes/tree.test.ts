import { describe, expect, test } from "vitest";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { view } from "../../../../../src/faces/dashboard/view.ts";
import type { Size } from "../../../../../src/tui/text/line.ts";
import { drawn } from "../../../../fixtures/drawn-lines.ts";
import { press } from "../../../../fixtures/press-keys.ts";
import { SIXTY_ACTIVITY, SIXTY_ANSWERS, SIXTY_NOW, SIXTY_RUN } from "../../../../fixtures/sixty-agents.ts";

const SIZES: readonly Size[] = [
	{ columns: 120, rows: 36 },
	{ columns: 80, rows: 24 },
	{ columns: 40, rows: 10 },
];

function pictureOf(size: Size): Picture {
	return {
		...{
			run: SIXTY_RUN,
			ui: FIRST_UI,
			transcript: emptyTranscript("1"),
			events: [],
			isLost: false,
			size,
			now: SIXTY_NOW,
		},
		...{ activity: SIXTY_ACTIVITY, answers: SIXTY_ANSWERS },
	};
}

/** By the name of the screen: the keys that lead to it. */
const SCREENS: Readonly<Record<string, string>> = {
	"sixty agents": "",
	"sixty agents, all folded": "-",
	"sixty agents, the last": "end",
	"sixty agents, next problems": "! ! ! !",
	"sixty agents, a filter is typed": "F 'fail'",
	"sixty agents, filtered by a state": "F 'failed' enter",
	"sixty agents, alive in an area": "a F 'linker' enter",
	"sixty agents, nothing matches": "F 'nowhere' enter",
	"sixty agents, by quiet": "o",
	"sixty agents, by tokens": "o o o o down",
	"sixty agents, found": "- / 'LOCK' enter n",
	"sixty agents, nothing found": "/ 'nowhere' enter",
};

describe.each(SIZES)("at $columns×$rows", (size) => {
	test.each(Object.entries(SCREENS))("%s is shown as recorded", async (name, keys) => {
		const file = `../screens/${name.replaceAll(/[^a-z]+/g, "-")}-${size.columns}x${size.rows}.txt`;
		await expect(drawn(view(press(pictureOf(size), keys)))).toMatchFileSnapshot(file);
	});
});
