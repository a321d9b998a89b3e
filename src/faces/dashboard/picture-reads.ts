/** What is read from files for what the screen shows beside transcripts, after it was drawn: no frame waits for it. */

import { type Agent, isOver } from "../../core/model/agent.ts";
import { orUndefined } from "../../record/read-run.ts";
import { agentDirectory } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { headline } from "../../view/agents/doing-now.ts";
import { sizeAt } from "./layout.ts";
import { transcriptPane } from "./panes/transcript/transcript.ts";
import { shownLinks, windowOf } from "./panes/transcript/transcript-window.ts";
import { rowsInPane, treePane } from "./panes/tree.ts";
import { LISTED_KEYS } from "./panes.ts";
import { type Answer, type Answers, answerOf, DETAILS, type Details, type Picture, sceneOf } from "./scene/scene.ts";
import { isOpen } from "./scene/ui-state.ts";
import type { Input } from "./update.ts";

export function readForPicture(picture: Picture, record: RecordedRun): Input[] {
	const answers = readAnswers(picture, record);
	const details = readDetails(picture, record);
	return [
		...(answers === undefined ? [] : [{ is: "answers", answers } as const]),
		...(details === undefined ? [] : [{ is: "details", details } as const]),
	];
}

/** Reads the file of the agent whose details are shown. */

/** Undefined when nothing is missing of what the screen shows. */
export function readDetails({ ui, details }: Picture, record: RecordedRun): Details | undefined {
	const { selected } = ui;
	if (!isOpen(ui, DETAILS) || details?.agent === selected) return undefined;
	const directory = agentDirectory(record.directory, selected);
	return { agent: selected, directory, file: orUndefined(() => record.agentFile(selected)) };
}

/** Reads what the agents on the screen have answered, each once, and so few at a time that no frame waits for it. */

const MOST_READS = 4;
const MOST_CHARACTERS = 300;

/** What is known now, and up to four more; undefined when nothing is missing. */
export function readAnswers(picture: Picture, record: RecordedRun): Answers | undefined {
	const unread = unreadAgents(picture).slice(0, MOST_READS);
	if (unread.length === 0) return undefined;
	const read = unread.map((agent) => [agent.id, readAnswer(agent, record)] as const);
	return new Map([...(picture.answers ?? []), ...read]);
}

type Ended = Agent & { state: { is: "ended" } };

function unreadAgents(picture: Picture): Ended[] {
	const scene = sceneOf(picture, LISTED_KEYS);
	const rows = rowsInPane(scene, sizeAt(treePane.place, scene)).map(({ agent }) => agent);
	const links = shownLinks(windowOf(scene, sizeAt(transcriptPane.place, scene)), picture.ui.scroll);
	const linked = links.flatMap(({ link }) => picture.run.agents[link] ?? []);
	return [...new Set([...rows, ...linked])]
		.filter(isOver)
		.filter((agent) => agent.state.ending.by === "answer" && answerOf(agent, picture.answers) === undefined);
}

function readAnswer({ id, state }: Ended, record: RecordedRun): Answer {
	return { endedAt: state.at, line: headline(record.lastText(id)).slice(0, MOST_CHARACTERS) };
}
