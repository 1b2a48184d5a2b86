import type { EventSignature } from './event-signature.ts'

export function signatureWithIndexed(
  { name, inputs }: EventSignature,
  indexed: readonly number[],
): string {
  const texts = inputs.map((input, index) =>
    [
      input.canonical,
      ...(indexed.includes(index) ? ['indexed'] : []),
      ...(input.name ? [input.name] : []),
    ].join(' '),
  )
  return `${name}(${texts.join(', ')})`
}
