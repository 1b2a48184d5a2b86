/**
 * Entry point of the process that builds the template when the origin starts. It evaluates the prelude and ethers, and
 * tests that a sandbox created from the template resets correctly. It then writes the template to a file descriptor
 * that it inherits, sends the digest to the parent process, and exits.
 */
import { compileEngine, engineBytes } from './engine-module.ts'
import { readGuestSources } from './guest-sources.ts'
import { Sandbox } from './sandbox.ts'
import { selfTest } from './self-test.ts'
import { makeTemplate } from './template.ts'
import { writeTemplate } from './template-file.ts'

/**
 * Inherited descriptor of the template file. Descriptors 0 to 3 are the standard streams and the channel to the parent.
 */
const FILE_FD = 4

const template = await makeTemplate(engineBytes(), readGuestSources())
selfTest(await Sandbox.create(compileEngine(template.engine), template))
process.send?.({ digest: writeTemplate(FILE_FD, template) })
process.disconnect()
