import type { TriggerKind } from '../../../shared/wire/trigger.ts'

/** An action of the folder `examples/` that a trigger runs. */
export type BuiltExample = {
  name: string
  description: string
  kind: TriggerKind
  /** The built script, without its source map, which would be wrong after the first change. */
  code: string
  /** JSON text. Values that the person has to replace are described in words. */
  defaultParams: string
}
