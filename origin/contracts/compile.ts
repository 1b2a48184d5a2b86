/**
 * Compiles the contracts with solc's WebAssembly build. It needs no compiler installation, and its output is the same
 * on every machine.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'

type Parameter = {
  readonly name: string
  readonly type: string
  readonly internalType?: string
  readonly indexed?: boolean
  readonly components?: readonly Parameter[]
}

export type AbiItem = {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly Parameter[]
  readonly outputs?: readonly Parameter[]
  readonly stateMutability?: string
  readonly anonymous?: boolean
}

export type CompiledContract = {
  abi: AbiItem[]
  /** Creation code of the contract, as 0x hex. */
  bytecode: string
  /** Function selectors by signature, as 0x hex. */
  selectors: Record<string, string>
}

export const FACETS = ['WritesFacet', 'ViewsFacet', 'AdminFacet'] as const
export const DIAMOND = 'AccountConfig'
/** Name of the governance contract. It is compiled from its own folder, because it shares no code with the diamond. */
export const GOVERNANCE = 'Governance'

type Output = {
  errors?: {
    severity: string
    errorCode?: string
    formattedMessage: string
    sourceLocation?: { file: string }
  }[]
  contracts?: Record<
    string,
    Record<
      string,
      {
        abi: AbiItem[]
        evm: { bytecode: { object: string }; methodIdentifiers: Record<string, string> }
      }
    >
  >
}

const settings = {
  // The libraries need the `mcopy` opcode of Cancun, which every chain of interest supports.
  evmVersion: 'cancun',
  // A high run count makes calls cheaper and deployment more expensive, because the payers pay for calls.
  optimizer: { enabled: true, runs: 10_000 },
  // Without the metadata hash, the bytecode depends only on the code and not on comments or paths.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
}

const resolve = createRequire(import.meta.url).resolve

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(resolve(path), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}

/**
 * Code of the compiler's warning about a payable fallback without a receive function. The contract omits the function
 * intentionally: a call without data must revert, and the diamond's fallback reverts it.
 */
const PAYABLE_FALLBACK_WITHOUT_RECEIVE = '3628'

/** Compiles the diamond and its facets. @throws {Error} as `compileFolder` */
export function compileContracts(): Record<string, CompiledContract> {
  return compileFolder(new URL('.', import.meta.url), [DIAMOND, ...FACETS])
}

/** Compiles the governance contract. @throws {Error} as `compileFolder` */
export function compileGovernance(): CompiledContract {
  const compiled = compileFolder(new URL('./governance/', import.meta.url), [GOVERNANCE])
  return compiled[GOVERNANCE]!
}

/**
 * Compiles the given contracts of a folder.
 * @throws {Error} with the compiler's messages. Warnings about our own code are errors, because warnings of a passing
 *   build go unnoticed
 */
export function compileFolder(
  folder: URL,
  wanted: readonly string[],
): Record<string, CompiledContract> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'))
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }]),
  )
  const output: Output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }), {
      import: readImport,
    }),
  )
  const complaints = (output.errors ?? []).filter(
    ({ severity, errorCode, sourceLocation }) =>
      severity === 'error' ||
      (errorCode !== PAYABLE_FALLBACK_WITHOUT_RECEIVE &&
        names.includes(sourceLocation?.file ?? '')),
  )
  if (complaints.length > 0) {
    throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join('\n'))
  }
  return Object.fromEntries(
    wanted.map((name) => {
      const contract = output.contracts?.[`${name}.sol`]?.[name]
      if (!contract) throw new Error(`${name}.sol: contract ${name} not found`)
      const { bytecode, methodIdentifiers } = contract.evm
      const selectors = Object.entries(methodIdentifiers).map(([signature, hex]) => [
        signature,
        `0x${hex}`,
      ])
      return [
        name,
        {
          abi: contract.abi,
          bytecode: `0x${bytecode.object}`,
          selectors: Object.fromEntries(selectors),
        },
      ]
    }),
  )
}
