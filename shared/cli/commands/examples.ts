import type { Command } from 'commander'

/**
 * Adds examples to a command's help. A test runs the examples of all commands in order against a local stack, so an
 * example can use objects that earlier examples created.
 */
export function addExamples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
}
