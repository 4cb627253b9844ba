/** isDocument tells a PAM document from an assistant's export, by its name. */
export function isDocument(name: string): boolean {
  return /\.pam\.(json|zip)(\.age)?$/i.test(name);
}
