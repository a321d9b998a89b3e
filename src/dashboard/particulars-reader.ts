/** Reads the file of the agent whose particulars are shown. */
import { readableAgentFile } from "../store/read-run.ts";
import { agentDirectory } from "../store/run-directory.ts";
import { PARTICULARS, type Particulars } from "./scene/particulars.ts";
import type { Picture } from "./scene/scene.ts";
import { isOpen } from "./scene/ui-state.ts";

/** Undefined when nothing is missing of what the screen shows. */
export function readParticulars({ ui, particulars }: Picture, runDirectory: string): Particulars | undefined {
	const { selected } = ui;
	if (!isOpen(ui, PARTICULARS) || particulars?.agent === selected) return undefined;
	const directory = agentDirectory(runDirectory, selected);
	return { agent: selected, directory, file: readableAgentFile(runDirectory, selected) };
}
