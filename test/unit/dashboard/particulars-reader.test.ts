import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits.ts";
import type { AgentFile } from "../../../src/core/transcript.ts";
import { readParticulars } from "../../../src/dashboard/picture-reads.ts";
import { FIRST_UI, opened, select } from "../../../src/dashboard/scene/ui-state.ts";
import { update } from "../../../src/dashboard/update.ts";
import { agentFilePath } from "../../../src/store/run-directory.ts";
import { toFile } from "../../../src/store/spelling.ts";
import { BUSY_AGENTS, pictureOf } from "../../fixtures/busy-agents.ts";
import { temporaryHome } from "../store/fabricate.ts";

const OPEN = opened(select(FIRST_UI, "1.2"), "particulars");

function writeAgentFile(directory: string, text: string): void {
	const path = agentFilePath(directory, "1.2");
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

test("the file of the selected agent is read once, while its particulars are shown", () => {
	const directory = temporaryHome();
	const file: AgentFile = {
		...{ agent: "1.2", run: "r", task: "the\nwhole task", cwd: "/work", model: "shell", limits: DEFAULT_LIMITS },
		...{ system: "", joinedAt: 1 },
	};
	writeAgentFile(directory, JSON.stringify(toFile(file)));
	const closed = pictureOf(BUSY_AGENTS, { ui: select(FIRST_UI, "1.2") });
	expect(readParticulars(closed, directory)).toBeUndefined();
	const particulars = readParticulars({ ...closed, ui: OPEN }, directory);
	expect(particulars).toEqual({ agent: "1.2", directory: join(directory, "1/2"), file });
	if (particulars === undefined) return;
	const { picture } = update({ ...closed, ui: OPEN }, { is: "particulars", particulars });
	expect(readParticulars(picture, directory)).toBeUndefined();
	const other = readParticulars({ ...picture, ui: select(OPEN, "1.1") }, directory);
	expect(other).toEqual({ agent: "1.1", directory: join(directory, "1/1"), file: undefined });
});

test("a damaged file is none, and is read no more", () => {
	const directory = temporaryHome();
	writeAgentFile(directory, "{torn");
	const picture = pictureOf(BUSY_AGENTS, { ui: OPEN });
	const particulars = readParticulars(picture, directory);
	expect(particulars).toMatchObject({ agent: "1.2", file: undefined });
	expect(readParticulars({ ...picture, ...(particulars && { particulars }) }, directory)).toBeUndefined();
});
