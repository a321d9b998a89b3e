/** The options of a sandbox: for a run, and for a child by the full command line. */
import { NETWORKS } from "../../core/machine/sandbox.ts";
import type { OptionRow } from "./option-table.ts";

/** `required`: `workspace`, and no start without one. */
export const SANDBOX_WORDS = ["off", "workspace", "read-only", "required"] as const;

export const SANDBOX_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "sandbox", value: "MODE", values: SANDBOX_WORDS },
		help: `what commands may touch: ${SANDBOX_WORDS.join(", ")}`,
	},
	{
		...{ flag: "allow-write", value: "DIR", values: "directories", isRepeatable: true },
		help: "a directory that the sandbox leaves writable",
	},
	{
		...{ flag: "allow-read", value: "PATH", values: "files", isRepeatable: true },
		help: "a file or directory that the sandbox would hide, and shows",
	},
	{
		...{ flag: "deny-read", value: "PATH", values: "files", isRepeatable: true },
		help: "a file or directory that the sandbox hides",
	},
	{
		...{ flag: "net", value: "HOW", values: NETWORKS },
		help: "the network of the sandbox: host, proxy (hosts that are named), none",
	},
	{
		...{ flag: "allow-host", value: "NAME", isRepeatable: true },
		help: "a host that --net proxy lets through: example.org, *.example.org",
	},
];
