/** Reads from files what the history of the selected agent shows, and gives it as inputs. */
import type { AgentId } from "../core/agent.ts";
import { AgentFiles } from "./agent-files.ts";
import { neededReads } from "./needed-reads.ts";
import { openCommands } from "./panes/history-blocks.ts";
import type { Picture } from "./scene/scene.ts";
import type { Input } from "./update.ts";

const MOST_READS = 8; // for one frame; a next one goes on

export interface HistoryReaderOptions {
	readonly runDirectory: string;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
}

export class HistoryReader {
	private readonly options: HistoryReaderOptions;
	private files: AgentFiles | undefined;
	private isNew = false;

	constructor(options: HistoryReaderOptions) {
		this.options = options;
	}

	/** Follows the files of another agent from now on. */
	focus(agent: AgentId): void {
		this.files?.stop();
		this.isNew = true;
		const { runDirectory, onInput, onError } = this.options;
		this.files = new AgentFiles(runDirectory, agent, {
			onEntries: (entries) => onInput({ is: "recorded", entries }),
			onEarlier: (entries, unreadBytes) => onInput({ is: "recorded_earlier", entries, unreadBytes }),
			onOutput: (command, read) => onInput({ is: "printed", command, read }),
			onError,
		});
	}

	/** Reads what commands have printed meanwhile. */
	readGrowth({ run, history }: Picture): void {
		this.files?.readGrowth(history, openCommands(history, run.agents[history.agent]));
	}

	/** Reads what the reader's place needs; `picture` has each time what was read before, which may show that more is needed. */
	readNeeded(picture: () => Picture): void {
		if (this.isNew) this.readGrowth(picture());
		this.isNew = false;
		for (let reads = 0; reads < MOST_READS && this.files?.readNeeded(neededReads(picture())); reads++);
	}

	stop(): void {
		this.files?.stop();
	}
}
