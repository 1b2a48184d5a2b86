/**
 * Entry point of the process that builds the template when the origin starts. Tests that a sandbox created from the
 * template resets correctly, writes the template to an inherited file descriptor, and sends the digest to the parent
 * process.
 */
import { compileEngine, engineBytes } from './engine-module.ts'
import { readGuestSources } from './guest-sources.ts'
import { Sandbox } from './sandbox.ts'
import { selfTest } from './self-test.ts'
import { buildTemplate } from './template.ts'
import { writeTemplate } from './template-file.ts'

/**
 * File descriptor to which the template is written. Descriptors 0 to 3 are the standard streams and the channel to the
 * parent.
 */
const FILE_FD = 4

async function build(): Promise<void> {
  const template = await buildTemplate(engineBytes(), readGuestSources())
  selfTest(await Sandbox.create(compileEngine(template.engine), template))
  process.send?.({ digest: writeTemplate(FILE_FD, template) })
  process.disconnect()
}

// This module is bundled as CommonJS, which has no top-level await.
void build()
