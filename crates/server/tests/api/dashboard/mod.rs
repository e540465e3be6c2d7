//! The dashboard from a browser's view: its forms are submitted as a browser without scripts would.

mod account;
mod browser;
mod isolation;
mod pages;
mod sign_in;
mod writing;
