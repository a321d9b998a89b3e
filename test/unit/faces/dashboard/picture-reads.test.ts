import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { AgentId } from "../../../../src/core/model/agent.ts";
import type { AgentFile } from "../../../../src/core/schemas/run-files.ts";
import { readAnswers, readDetails } from "../../../../src/faces/dashboard/picture-reads.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened, select } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { update } from "../../../../src/faces/dashboard/update.ts";
import { agentFilePath, transcriptPath } from "../../../../src/record/run-directory.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { BUSY_AGENTS, pictureOf } from "../../../fixtures/busy-agents.ts";
import { answered } from "../../../fixtures/dashboard-run.ts";
import { press } from "../../../fixtures/press-keys.ts";
import { SIXTY_ACTIVITY, SIXTY_NOW, SIXTY_RUN } from "../../../fixtures/sixty-agents.ts";
import { temporaryHome } from "../../record/fabricate.ts";

const SIXTY: Picture = {
	...{ run: SIXTY_RUN, ui: FIRST_UI, transcript: emptyTranscript("1"), events: [], isLost: false, now: SIXTY_NOW },
	...{ activity: SIXTY_ACTIVITY, size: { columns: 120, rows: 16 } },
};

function recordOf(texts: Readonly<Record<AgentId, string>>): RecordedRun {
	const directory = mkdtempSync(join(tmpdir(), "agentree-answers-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	for (const [agent, text] of Object.entries(texts)) {
		const path = transcriptPath(directory, agent);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `${JSON.stringify(toFile(answered(1, [{ type: "text", text }])))}\n`);
	}
	return new RecordedRun(directory);
}

/** All that is read, frame by frame, until nothing is missing. */
function readAll(picture: Picture, record: RecordedRun): { frames: string[][]; picture: Picture } {
	const frames: string[][] = [];
	let now = picture;
	for (let read = readAnswers(now, record); read !== undefined; read = readAnswers(now, record)) {
		const before = now.answers;
		frames.push([...read].flatMap(([agent, { line }]) => (before?.has(agent) ? [] : [`${agent} ${line}`])));
		now = { ...now, answers: read };
	}
	return { frames, picture: now };
}

test("answers of agents on the screen are read once, four a frame", () => {
	const record = recordOf({
		"1.1.5": "five\nis done",
		"1.1.6": "\n\n## **Six** `is` done",
		"1.1.7": "\u001b[31mseven",
	});
	const { frames, picture } = readAll(SIXTY, record);
	expect(frames).toEqual([["1.1.5 five", "1.1.6 Six `is` done", "1.1.7 seven", "1.1.8 "]]);
	const below = readAll(press(picture, "end up up up up up up up up up up up up up up"), record);
	expect(below.frames.map((frame) => frame.length)).toEqual([4, 1]);
	expect(readAnswers(below.picture, record)).toBe(undefined);
});

test("of an agent that failed no answer is read, and none of one that has no row on the screen", () => {
	const record = recordOf({ "1.1.9": "half of it", "1.5.1": "below" });
	const { picture } = readAll(SIXTY, record);
	expect([...(picture.answers?.keys() ?? [])]).toEqual(["1.1.5", "1.1.6", "1.1.7", "1.1.8"]);
});

test("a very long line is cut", () => {
	const { picture } = readAll(SIXTY, recordOf({ "1.1.5": "x".repeat(100_000) }));
	expect(picture.answers?.get("1.1.5")?.line.length).toBe(300);
});

const OPEN = opened(select(FIRST_UI, "1.2"), "details");

function writeAgentFile(directory: string, text: string): void {
	const path = agentFilePath(directory, "1.2");
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

test("the file of the selected agent is read once, while its details are shown", () => {
	const directory = temporaryHome();
	const file: AgentFile = {
		...{ agent: "1.2", run: "r", task: "the\nwhole task", cwd: "/work", model: "shell", limits: DEFAULT_LIMITS },
		...{ system: "", joinedAt: 1 },
	};
	writeAgentFile(directory, JSON.stringify(toFile(file)));
	const closed = pictureOf(BUSY_AGENTS, { ui: select(FIRST_UI, "1.2") });
	expect(readDetails(closed, new RecordedRun(directory))).toBeUndefined();
	const details = readDetails({ ...closed, ui: OPEN }, new RecordedRun(directory));
	expect(details).toEqual({ agent: "1.2", directory: join(directory, "1/2"), file });
	if (details === undefined) return;
	const { picture } = update({ ...closed, ui: OPEN }, { is: "details", details });
	expect(readDetails(picture, new RecordedRun(directory))).toBeUndefined();
	const other = readDetails({ ...picture, ui: select(OPEN, "1.1") }, new RecordedRun(directory));
	expect(other).toEqual({ agent: "1.1", directory: join(directory, "1/1"), file: undefined });
});

test("a damaged file is none, and is read no more", () => {
	const directory = temporaryHome();
	writeAgentFile(directory, "{torn");
	const picture = pictureOf(BUSY_AGENTS, { ui: OPEN });
	const details = readDetails(picture, new RecordedRun(directory));
	expect(details).toMatchObject({ agent: "1.2", file: undefined });
	expect(readDetails({ ...picture, ...(details && { details }) }, new RecordedRun(directory))).toBeUndefined();
});
