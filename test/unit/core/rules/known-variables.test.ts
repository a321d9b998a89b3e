// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are commands of bash
import { expect, test } from "vitest";
import { withKnownVariables } from "../../../../src/core/rules/decide-command.ts";

test.each([
	['D=/etc; rm "$D/x" ${D}/y ${D:?}/z', 'D=/etc; rm "/etc/x" /etc/y /etc/z'],
	["A=/a; B=$A/b; rm $B", "A=/a; B=/a/b; rm /a/b"],
	["D=/a; D=/b; rm $D", "D=/a; D=/b; rm $D"],
	["D=$(mktemp -d); rm -r $D", "D=$(mktemp -d); rm -r $D"],
	["D=/a cat; rm $D", "D=/a cat; rm $D"],
	["D=/a; for D in b c; do rm $D; done", "D=/a; for D in b c; do rm $D; done"],
	["rm $HOMES ${HOME}x $HOME", "rm $HOMES /home/mex /home/me"],
])("%s is read as %s", (command, read) => expect(withKnownVariables(command, { HOME: "/home/me" })).toBe(read));
