/** Declares the `.txt` and `.md` files that wrangler imports as text. */
declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
