/** Reads from files what the history of the selected agent shows, and gives it as inputs. */
import type { AgentId } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import { EventIndex } from "../store/event-index.ts";
import { AgentFiles } from "./agent-files.ts";
import { neededReads } from "./needed-reads.ts";
import { openCommands } from "./panes/history-blocks.ts";
import { MOST_EVENTS } from "./scene/run-events.ts";
import type { Picture } from "./scene/scene.ts";
import type { Input } from "./update.ts";

const MOST_READS = 8; // for one frame; a next one goes on
const PIECE_BYTES = 1024 * 1024;

export interface HistoryReaderOptions {
	readonly runDirectory: string;
	readonly onInput: (input: Input) => void;
	readonly onError: (error: unknown) => void;
}

export class HistoryReader {
	private readonly options: HistoryReaderOptions;
	private files: AgentFiles | undefined;
	private isNew = false;
	private areEventsRead = false;
	private readonly index: EventIndex;

	constructor(options: HistoryReaderOptions) {
		this.options = options;
		this.index = new EventIndex(options.runDirectory);
	}

	/** Follows the files of another agent from now on. */
	focus(agent: AgentId): void {
		this.files?.stop();
		this.isNew = true;
		this.areEventsRead = false;
		const { runDirectory, onInput, onError } = this.options;
		this.files = new AgentFiles(runDirectory, agent, {
			onEntries: (entries) => onInput({ is: "recorded", entries }),
			onEarlier: (entries, unreadBytes) => onInput({ is: "recorded_earlier", entries, unreadBytes }),
			onOutput: (command, read) => onInput({ is: "printed", command, read }),
			onError,
		});
	}

	/** Reads what commands have printed meanwhile, and of a run with more events than a picture has those of the agent. */
	readGrowth({ run, history, events }: Picture): void {
		if (events.length >= MOST_EVENTS && !this.areEventsRead && this.files !== undefined) {
			this.areEventsRead = true;
			this.readEvents(this.files, history.agent);
		}
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
		this.files = undefined;
	}

	/** The log is looked through in pieces, so that keys stay quick: a run of thousands of agents has hundreds of thousands of events. */
	private readEvents(files: AgentFiles, agent: AgentId): void {
		if (this.files !== files) return; // somebody has gone on to another agent
		const { onInput, onError } = this.options;
		try {
			if (!this.index.readOn(PIECE_BYTES)) return void setImmediate(() => this.readEvents(files, agent));
			onInput({ is: "happened", events: this.index.eventsOf(agent) });
		} catch (error) {
			if (!(error instanceof AgentreeError)) onError(error); // a log that cannot be read is told of elsewhere
		}
	}
}
