/** solc's WebAssembly build needs no installation, and its output is the same on every machine. */
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'

export type AbiItem = { readonly type: string; readonly name?: string }

export type CompiledContract = {
  abi: AbiItem[]
  /** Creation code as 0x hex. */
  bytecode: string
  /** Selectors as 0x hex, by signature. */
  selectors: Record<string, string>
}

export const FACETS = ['WritesFacet', 'ViewsFacet', 'AdminFacet'] as const
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
  // The libraries need Cancun's `mcopy` opcode, which every chain of interest supports.
  evmVersion: 'cancun',
  // Cheaper calls at the price of a dearer deployment, because the payers pay for calls.
  optimizer: { enabled: true, runs: 10_000 },
  // Makes the bytecode independent of comments and paths.
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
 * The contract omits `receive` intentionally: a call without data must revert, and the diamond's fallback reverts it.
 */
const PAYABLE_FALLBACK_WITHOUT_RECEIVE = '3628'

/** @throws {Error} as `compileFolder` */
export function compileContracts(): Record<string, CompiledContract> {
  return compileFolder(new URL('.', import.meta.url), [DIAMOND, ...FACETS])
}

/** @throws {Error} as `compileFolder` */
export function compileGovernance(): CompiledContract {
  const compiled = compileFolder(new URL('./governance/', import.meta.url), [GOVERNANCE])
  return compiled[GOVERNANCE]!
}

/** @throws {Error} with the compiler's messages, and for warnings about our own code, which would go unnoticed */
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
