/** The records of a run and its agents, beside the event log. */
export type { AgentFile, LockOwner, Origin, RunFile } from "../schemas/run-files.ts";
export type {
	AssistantEntry,
	CallNote,
	CommandRecord,
	CompactionNote,
	ForkNote,
	MessageEntry,
	NoteEntry,
	ResumeNote,
	TranscriptEntry,
	UserEntry,
} from "../schemas/transcript.ts";
