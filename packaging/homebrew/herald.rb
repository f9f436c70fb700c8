class Herald < Formula
  desc "Chess engine and match official"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license "GPL-3.0-or-later"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/herald-@VERSION@-macos-aarch64.tar.gz"
      sha256 "@SHA256 macos-aarch64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/herald-@VERSION@-macos-x86_64.tar.gz"
      sha256 "@SHA256 macos-x86_64@"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/herald-@VERSION@-linux-aarch64.tar.gz"
      sha256 "@SHA256 linux-aarch64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/herald-@VERSION@-linux-x86_64.tar.gz"
      sha256 "@SHA256 linux-x86_64@"
    end
  end

  def install
    bin.install "herald"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/herald.bash" => "herald"
    fish_completion.install "completions/herald.fish"
    zsh_completion.install "completions/_herald"
    doc.install "GUIS.txt", "LICENCES-OF-LIBRARIES.txt"
  end

  test do
    assert_match "id name Herald #{version}", pipe_output("#{bin}/herald uci", "uci\nquit\n")
  end
end
