import type { Command } from 'commander'

/**
 * Adds the section "Examples:" to a command's help. A test runs all examples in the order of the commands against a
 * stack, so that an example may use what earlier ones created.
 */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['\nExamples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
}
