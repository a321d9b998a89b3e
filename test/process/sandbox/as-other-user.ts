/** Root can be another user, too, if that one may read this program. */
import { spawnSync } from "node:child_process";
import { chownSync, lchownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PROGRAM } from "../program.ts";

const NOBODY = 65534;
/** In a session of its own: in that of the tests, whose leader it may not read, it could take the run of another test for its own. */
const AS_NOBODY = `setsid setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups`;

/** `as`: what stands in front of a program that the user runs. */
export const USERS: readonly { readonly name: string; readonly as: string }[] = [
	{ name: `user ${process.getuid?.()}`, as: "" },
	...(process.getuid?.() === 0 && isReadableByNobody() ? [{ name: `user ${NOBODY}`, as: AS_NOBODY }] : []),
];

function isReadableByNobody(): boolean {
	const check = `${AS_NOBODY} ${process.execPath} -e 'require("fs").accessSync(process.argv[1])' ${AGENT_PROGRAM}`;
	return spawnSync("sh", ["-c", check]).status === 0;
}

/** To the other user. */
export function give(path: string): void {
	for (const name of readdirSync(path, { recursive: true })) lchownSync(join(path, String(name)), NOBODY, NOBODY);
	chownSync(path, NOBODY, NOBODY);
}
