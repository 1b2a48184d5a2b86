/**
 * Compiles the contracts with solc's WebAssembly build, which needs no installation and produces the same output on
 * every machine.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'

export type AbiItem = { readonly type: string; readonly name?: string }

export type CompiledContract = {
  abi: AbiItem[]
  /** Creation code in 0x hex. */
  bytecode: string
  /** Function selectors in 0x hex, by function signature. */
  selectors: Record<string, string>
}

export const FACETS = ['WritesFacet', 'PolicyFacet', 'ViewsFacet', 'AdminFacet'] as const
export const DIAMOND = 'AccountConfig'
/** Compiled from its own folder, because it shares no code with the diamond. */
const GOVERNANCE = 'Governance'

type SolcOutput = {
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
  // The libraries need Cancun's `mcopy` opcode, which every relevant chain supports.
  evmVersion: 'cancun',
  // Makes calls cheaper and the deployment more expensive, because the payers pay for calls.
  optimizer: { enabled: true, runs: 10_000 },
  // Omits metadata, so that the bytecode does not depend on comments and paths.
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
 * Code of solc's warning about a payable fallback without `receive`. The contract omits `receive` intentionally: a call
 * without data must revert, and the diamond's fallback reverts it.
 */
const PAYABLE_FALLBACK_WITHOUT_RECEIVE = '3628'

export function compileContracts(): Record<string, CompiledContract> {
  return compileFolder(new URL('.', import.meta.url), [DIAMOND, ...FACETS])
}

export function compileGovernance(): CompiledContract {
  const compiled = compileFolder(new URL('./governance/', import.meta.url), [GOVERNANCE])
  return compiled[GOVERNANCE]!
}

/**
 * @throws {Error} with the compiler's messages if compilation fails, or if our own code causes a warning that would
 * otherwise go unnoticed
 */
export function compileFolder(
  folder: URL,
  wanted: readonly string[],
): Record<string, CompiledContract> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'))
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }]),
  )
  const output: SolcOutput = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }), {
      import: readImport,
    }),
  )
  const problems = (output.errors ?? []).filter(
    ({ severity, errorCode, sourceLocation }) =>
      severity === 'error' ||
      (errorCode !== PAYABLE_FALLBACK_WITHOUT_RECEIVE &&
        names.includes(sourceLocation?.file ?? '')),
  )
  if (problems.length > 0) {
    throw new Error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'))
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
