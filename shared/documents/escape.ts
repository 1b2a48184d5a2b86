const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)
}

export function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) =>
    Object.keys(ENTITIES).find((character) => ENTITIES[character] === entity)!,
  )
}
