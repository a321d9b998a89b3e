// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are commands of bash
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
	["(cd / && rm x)", "/x"],
	["bash -c 'cd / && rm x'", "/x"],
	["eval 'cd /'; rm x", "/x"],
	["echo $(cd /; rm x)", "/x"],
	["rm -rf ~/*", "/home/me/unknown"],
	["(cd / && ls); rm x", "/x"], // subshells are not told apart
])("%s deletes %s", (command, path) => expect(outside(command)?.path).toBe(path));

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
	"cd y && make && cd - && rm -rf y/build",
	"pushd / && popd && rm x",
	'T=$(mktemp -d); rm -rf "$T"',
	"trap 'rm -rf \"$T\"' EXIT",
	"rm -rf ${TMPDIR:-/tmp}/x",
	"rm -rf /tmp/x-$$ /tmp/y/../z",
	"rm -rf /w/tree/*/y /w/tree/*",
])("%s deletes nothing outside that can be told", (command) => expect(outside(command)).toBeUndefined());

test.each([
	["rm /etc/x", true],
	["rm -rf /*", true],
	["rm -rf ~/$x", true],
	["rm -rf /w/$x/y", false],
	["rm -rf /etc/$x/y", true],
])("what %s deletes is outside for certain: %s", (command, isCertain) =>
	expect(outside(command)?.isCertain).toBe(isCertain),
);
