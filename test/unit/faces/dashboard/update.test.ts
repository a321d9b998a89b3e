import { expect, test } from "vitest";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { type Input, update } from "../../../../src/faces/dashboard/update.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { asked, BUSY_RUN, printed, runEnded, STARTED_AT } from "../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../fixtures/keyed.ts";
import { transcriptOf } from "../../../fixtures/shown-transcript.ts";

const BUSY: Picture = {
	...{
		run: BUSY_RUN,
		ui: FIRST_UI,
		transcript: emptyTranscript("1"),
		events: [],
		activity: NO_ACTIVITY,
		isLost: false,
	},
	...{ size: { columns: 80, rows: 24 }, now: STARTED_AT },
};
const key = (name: string): Input => ({ is: "key", key: keyed(name) });
const after = (...inputs: Input[]) => inputs.reduce<Picture>((picture, input) => update(picture, input).picture, BUSY);

test("a key that selects another agent shows the transcript of that agent", () => {
	const { ui, transcript } = after(key("G"));
	expect([ui.selected, transcript]).toEqual(["1.3", emptyTranscript("1.3")]);
});

test("a run that was asked to stop is left without a question", () => {
	expect(update(after({ is: "stop_asked" }), key("q"))).toMatchObject({
		wish: { is: "close" },
		picture: { ui: FIRST_UI },
	});
	expect(update(BUSY, key("q"))).toEqual({ picture: { ...BUSY, ui: opened(FIRST_UI, "quit") } });
});

test("the end of the run closes the question, and nothing else that is open", () => {
	const ended: Input = { is: "messages", messages: [{ say: "event", event: runEnded(60_000) }] };
	expect(after(key("q"), ended).ui).toEqual(FIRST_UI);
	expect(after(key("?"), ended).ui).toEqual(opened(FIRST_UI, "help"));
});

test("a supervisor that says something is not suspended any more", () => {
	const suspended: Input = { is: "suspended", isSuspended: true };
	expect(after(suspended).isSuspended).toBe(true);
	const said: Input = { is: "messages", messages: [{ say: "snapshot", state: BUSY_RUN }] };
	expect(after(suspended, said).isSuspended).toBe(false);
});

test("what was recorded of the selected agent is shown with what it has printed, and nothing of another one", () => {
	const { outputs: _, ...shown } = transcriptOf("1", { entries: [asked("go")] });
	const { transcript } = after(
		{ is: "messages", messages: [{ say: "snapshot", state: BUSY_RUN }] },
		{ is: "printed", command: 2, read: printed("line\n", 3) },
		{ is: "transcript", shown },
		{ is: "transcript", shown: { ...shown, agent: "1.2", task: "other" } },
	);
	expect([transcript.agent, transcript.task]).toEqual(["1", "go"]);
	expect(transcript.outputs.get(2)).toMatchObject({ last: 3, pages: [{ page: 3, text: "line" }] });
});
