/** The files of keys that options of a command name. */
import { resolve } from "node:path";
import type { Io } from "../../faces/print/io.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import type { KeyFiles } from "./credentials.ts";

export function namedKeyFiles(values: OptionValues, { cwd }: Pick<Io, "cwd">): KeyFiles {
	const path = (flag: string) => (typeof values[flag] === "string" ? resolve(cwd, values[flag]) : undefined);
	return { envFile: path("env-file"), credentialsFile: path("credentials-file") };
}
