/** All slash commands, in the order of the help. */
import { AGENT_COMMANDS } from "./agent-commands.ts";
import { CHANGE_COMMANDS } from "./change-commands.ts";
import { CONVERSATION_COMMANDS } from "./conversation-commands.ts";
import { helpCommand } from "./help-command.ts";
import { QUESTION_COMMANDS } from "./question-commands.ts";
import { REPORT_COMMANDS } from "./report-commands.ts";
import { SETTING_COMMANDS } from "./setting-commands.ts";
import type { SlashCommand } from "./slash-command.ts";

const OTHERS: readonly SlashCommand[] = [
	...AGENT_COMMANDS,
	...QUESTION_COMMANDS,
	...CONVERSATION_COMMANDS,
	...CHANGE_COMMANDS,
	...SETTING_COMMANDS,
	...REPORT_COMMANDS,
];

export const SLASH_COMMANDS: readonly SlashCommand[] = [helpCommand(OTHERS), ...OTHERS];
