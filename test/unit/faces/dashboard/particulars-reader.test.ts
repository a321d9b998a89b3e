import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { AgentFile } from "../../../../src/core/model/transcript.ts";
import { readDetails } from "../../../../src/faces/dashboard/picture-reads.ts";
import { FIRST_UI, opened, select } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { update } from "../../../../src/faces/dashboard/update.ts";
import { agentFilePath } from "../../../../src/record/run-directory.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { BUSY_AGENTS, pictureOf } from "../../../fixtures/busy-agents.ts";
import { temporaryHome } from "../../record/fabricate.ts";

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
