/**
 * Entry point of the process that makes the template, once at the origin's start: it evaluates the prelude and ethers,
 * tests that a sandbox made from them resets, and writes them to the file that it was given. It says the digest and ends.
 */
import { compileEngine, engineBytes } from './engine-module.ts'
import { readGuestSources } from './guest-sources.ts'
import { Sandbox } from './sandbox.ts'
import { selfTest } from './self-test.ts'
import { makeTemplate } from './template.ts'
import { writeTemplate } from './template-file.ts'

/** The file's descriptor, after standard streams and the channel to the parent. */
const FILE_FD = 4

const template = await makeTemplate(engineBytes(), readGuestSources())
selfTest(await Sandbox.create(compileEngine(template.engine), template))
process.send?.({ digest: writeTemplate(FILE_FD, template) })
process.disconnect()
