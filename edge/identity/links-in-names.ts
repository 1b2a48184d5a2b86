/**
 * Inserts spaces into a name, so that mail programs do not turn the name into a link. Names come from third parties.
 */
export function withoutLinks(name: string): string {
  return name.replaceAll(/[.:/@](?=[\p{L}\p{N}/])/gu, (mark, place: number) =>
    /^\.\d/.test(name.slice(place)) && /\d$/.test(name.slice(0, place)) ? mark : `${mark} `,
  )
}
