/**
 * Entry point of the process that builds the template, once at the origin's start. It evaluates the prelude and ethers,
 * tests that a sandbox made from them resets, and writes the template to the file descriptor it was given. It then
 * sends the digest to the parent and exits.
 */
import { compileEngine, engineBytes } from './engine-module.ts'
import { readGuestSources } from './guest-sources.ts'
import { Sandbox } from './sandbox.ts'
import { selfTest } from './self-test.ts'
import { makeTemplate } from './template.ts'
import { writeTemplate } from './template-file.ts'

/** Descriptor of the template's file. It follows the standard streams and the channel to the parent. */
const FILE_FD = 4

const template = await makeTemplate(engineBytes(), readGuestSources())
selfTest(await Sandbox.create(compileEngine(template.engine), template))
process.send?.({ digest: writeTemplate(FILE_FD, template) })
process.disconnect()
