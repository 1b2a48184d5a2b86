/**
 * Simulates sequences of writes and reads in one `eth_call`, which is much faster than sending them. Nothing is stored.
 */
import { ContractFactory, Interface, toQuantity, type Result } from 'ethers'
import { compileFolder } from '../../../origin/contracts/compile.ts'
import { accountConfig, type AccountConfig } from './account-config.ts'
import { word } from './slots.ts'

export type Call = readonly [name: string, ...args: unknown[]]

/** The result is decoded when it is read, which takes longer than the call. */
export type Outcome =
  | { readonly result: Result; refusal?: undefined }
  | { result?: undefined; refusal: unknown[] }

/** Values of the chain that differ during the call. */
type Overrides = { time?: bigint; storage?: Map<bigint, bigint> }

/** All that the protocol allows in a block, far above the limit of a transaction. */
const GAS = 30_000_000

/** Deploys a contract that makes the calls, and registers it as a payer. */
export async function openBatch(config: AccountConfig) {
  const folder = new URL('../../doubles/batch/', import.meta.url)
  const { abi, bytecode } = compileFolder(folder, ['Batch'])['Batch']!
  const deployed = await new ContractFactory(abi, bytecode, config.owner).deploy()
  await deployed.waitForDeployment()
  const address = await deployed.getAddress()
  await config.write(config.owner, 'setApiPayers', [address], true)
  const batch = new Interface(abi)

  return async (calls: readonly Call[], { time, storage }: Overrides = {}): Promise<Outcome[]> => {
    const encoded = calls.map(([name, ...args]) => accountConfig.encodeFunctionData(name, args))
    const data = batch.encodeFunctionData('run', [config.address, encoded])
    const stateDiff = Object.fromEntries(
      [...(storage ?? [])].map(([slot, value]) => [word(slot), word(value)]),
    )
    const answer: string = await config.provider.send('eth_call', [
      { to: address, data, gas: toQuantity(GAS) },
      'latest',
      { [config.address]: { stateDiff } },
      ...(time === undefined ? [] : [{ time: toQuantity(time) }]),
    ])
    const [results] = batch.decodeFunctionResult('run', answer)
    return results.map(([success, returned]: [boolean, string], index: number) =>
      success
        ? {
            get result() {
              return accountConfig.decodeFunctionResult(calls[index]![0], returned)
            },
          }
        : { refusal: refusalOf(returned) },
    )
  }
}

/** The name and arguments of an error; empty if there is no data, as after running out of gas. */
function refusalOf(data: string): unknown[] {
  const error = data === '0x' ? null : accountConfig.parseError(data)
  return error ? [error.name, ...error.args] : []
}
