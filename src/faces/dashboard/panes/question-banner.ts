/** The rows above the panes that always tell of an open question of an agent. */
import { questionBannerRows } from "../../../tui/answering/question-banner.ts";
import type { Line, Size } from "../../../tui/text/line.ts";
import type { Scene } from "../scene/scene.ts";
import { questionInFront } from "./answer.ts";

const HINT = "r to answer";

export function questionBannerLines(scene: Scene, { columns, rows }: Size): Line[] {
	const question = questionInFront(scene);
	if (question === undefined || rows < 1) return [];
	return questionBannerRows({ ...scene, question, hint: HINT }, columns, rows);
}
