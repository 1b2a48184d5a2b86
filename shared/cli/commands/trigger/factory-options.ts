import type { Command } from 'commander'
import { UsageError } from '../../terminal.ts'

export type GivenFactory = {
  factoryAddress?: string
  factoryEvent?: string
  factoryParameter?: string
}

export function withFactoryOptions(command: Command): Command {
  return command
    .option(
      '--factory-address <address>',
      'chain events: fire on events of the contracts that this contract creates, instead of --contract',
    )
    .option(
      '--factory-event <signature>',
      'factories: event that names a new contract, such as "PairCreated(address indexed token0, address indexed token1, address pair, uint256)"',
    )
    .option(
      '--factory-parameter <name>',
      'factories: argument of the event that is the new contract, such as pair',
    )
}

/** @returns `config.factory`, or undefined if none of the options is given */
export function factoryOf({
  factoryAddress: address,
  factoryEvent: event,
  factoryParameter: parameter,
}: GivenFactory): Record<string, unknown> | undefined {
  const given = [address, event, parameter]
  if (given.every((one) => one === undefined)) return undefined
  if (given.some((one) => one === undefined))
    throw new UsageError('use --factory-address, --factory-event and --factory-parameter together')
  return { address, event, parameter }
}
