/** The options of the sandbox, for a run and, through the full command line, for a child. */
import { NETWORKS } from "../../core/machine/sandbox.ts";
import type { OptionRow } from "./option-table.ts";

/** `required`: `workspace`, and the run does not start without a sandbox. */
export const SANDBOX_WORDS = ["off", "workspace", "read-only", "required"] as const;

export const SANDBOX_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "sandbox", value: "MODE", values: SANDBOX_WORDS },
		help: `what commands can access: ${SANDBOX_WORDS.join(", ")}`,
	},
	{
		...{ flag: "allow-write", value: "DIR", values: "directories", isRepeatable: true },
		help: "let commands write to this directory",
	},
	{
		...{ flag: "allow-read", value: "PATH", values: "files", isRepeatable: true },
		help: "show a file or directory that the sandbox hides by default",
	},
	{
		...{ flag: "deny-read", value: "PATH", values: "files", isRepeatable: true },
		help: "hide a file or directory from commands",
	},
	{
		...{ flag: "net", value: "HOW", values: NETWORKS },
		help: "network in the sandbox: host, proxy (only allowed hosts), none",
	},
	{
		...{ flag: "allow-host", value: "NAME", isRepeatable: true },
		help: "host that --net proxy allows: example.org, *.example.org",
	},
];
