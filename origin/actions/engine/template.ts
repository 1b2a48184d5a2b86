import { HOST_CONSTANTS, hostFunctions } from '../host/functions.ts'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import { createHostObject } from './bridge.ts'
import { compileEngine } from './engine-module.ts'
import { ETHERS_PARTS, type GuestSources, PRELUDE_PARTS } from './guest-sources.ts'
import { findRandomState, STACK_TOP, STATIC_END, withoutSourceText } from './layout.ts'
import type { Pointer } from './quickjs.ts'
import { type EntryPoint, ENTRY_POINTS, hostFunctionNames, Vm } from './vm.ts'

/** Initial state of every sandbox: the memory of an engine that has loaded the prelude and ethers, but no action. */
export type Template = {
  engine: Uint8Array
  /** Contents of the memory: static data and heap. The C stack, which lies between the two, is all zeros. */
  statics: Uint8Array
  heap: Uint8Array
  places: TemplateAddresses
}

export type TemplateAddresses = {
  runtime: Pointer
  context: Pointer
  file: Pointer
  stackPointer: Pointer
  break: Pointer
  /** Address of the 64-bit state of Math.random, which is replaced for each run. */
  random: Pointer
  entries: Record<EntryPoint, Pointer>
  /** Names of the host functions, in the order of their indices. */
  hostFunctions: string[]
}

/**
 * @param wallClock time of `Date` while the prelude loads, in Unix milliseconds
 * @default Date.now
 */
export async function buildTemplate(
  engine: Uint8Array,
  sources: GuestSources,
  wallClock?: () => number,
): Promise<Template> {
  const vm = await Vm.create(compileEngine(engine), wallClock)
  vm.entries = withoutSourceText(vm, () => loadPrelude(vm, sources))
  const random = findRandomState(vm)
  const { bytes, stackPointer } = vm.engine
  const end = vm.engine.heapEnd.get()
  return {
    engine,
    statics: bytes.subarray(0, STATIC_END).slice(),
    heap: bytes.subarray(STACK_TOP, end).slice(),
    places: {
      runtime: vm.runtime,
      context: vm.values.context,
      file: vm.file,
      stackPointer: stackPointer.get(),
      break: end,
      random,
      entries: vm.entries,
      hostFunctions: hostFunctionNames(),
    },
  }
}

function loadPrelude(vm: Vm, sources: GuestSources): Record<EntryPoint, Pointer> {
  const { values, engine } = vm
  const host = createHostObject(
    engine,
    values,
    hostFunctions(() => IDLE_HOOKS),
    HOST_CONSTANTS,
  )
  const parts = engine.native._QTS_NewObject(values.context)
  let base = values.undefined
  const load = (name: keyof GuestSources['prelude']) => {
    const file = values.cString(`svc:${name}.js`).at
    const install = requireValue(vm, name, values.evaluate(sources.prelude[name], file))
    const part = requireValue(vm, name, values.call(install, [host, base, parts]))
    if (name === 'primordials') base = part
    values.setProperty(parts, name, part)
    engine.native._free(file)
  }
  for (const name of PRELUDE_PARTS) load(name)
  const bundle = values.evaluate(sources.ethers, values.cString('ethers.js').at)
  const install = requireValue(vm, 'ethers', bundle)
  const ethers = requireValue(vm, 'ethers', values.call(install, [host, base, parts]))
  values.setProperty(parts, 'ethers', ethers)
  for (const name of ETHERS_PARTS) load(name)
  const entries = {} as Record<EntryPoint, Pointer>
  for (const [entry, part] of Object.entries(ENTRY_POINTS) as [EntryPoint, string][])
    entries[entry] = values.property(values.property(parts, part), entry)
  return entries
}

function requireValue(
  vm: Vm,
  part: string,
  result: { value: Pointer } | { thrown: Pointer },
): Pointer {
  if ('value' in result) return result.value
  const { values } = vm
  const [message, stack] = ['message', 'stack'].map((name) =>
    values.readText(values.property(result.thrown, name)),
  )
  throw new Error(`prelude part ${part} failed to load: ${message}\n${stack}`)
}
