import { expect, test } from "vitest";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { deletedOutside } from "../../../../src/core/rules/deletes-outside.ts";

const place = { directory: "/w/tree/src", home: "/home/me", within: ["/w/tree", "/tmp"] };
const outside = (command: string) => deletedOutside(commandParts(command).parts, place);

test.each([
	["rm -rf /etc/x", "/etc/x"],
	["rm ~/x", "/home/me/x"],
	["rm ../../other", "/w/other"],
	["rm -r /w/tree", "/w/tree"],
	["rm -rf /", "/"],
	["rm /etc/*", "/etc/unknown"],
	["rm -- -x /etc/x", "/etc/x"],
	["cd / && rm x", "/x"],
	["cd; rm x", "/home/me/x"],
	["sudo rm /etc/x", "/etc/x"],
	["find /var -name x -delete", "/var/found"],
	["find / -exec rm /etc/x \\;", "/etc/x"],
])("%s deletes %s", (command, path) => expect(outside(command)).toBe(path));

test.each([
	"rm x",
	"rm -rf ../x",
	"rm /tmp/x",
	"rm *",
	'rm "$x"',
	"rm x*",
	"cd $x && rm y",
	"find . -delete",
	"ls /etc",
	"echo rm /etc/x",
])("%s deletes nothing outside that can be told", (command) => expect(outside(command)).toBeUndefined());
